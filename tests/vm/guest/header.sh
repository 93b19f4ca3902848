# A header like that of a Pi 4: its label, its number of lines; and the revision by which gpiozero knows the board.
set -eu
modprobe configfs
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
modprobe simulated-lines
pi=/sys/kernel/config/gpio-sim/pi
mkdir -p "$pi/bank"
echo 54 >"$pi/bank/num_lines"
echo pinctrl-bcm2711 >"$pi/bank/label"
echo 1 >"$pi/live"
{ cat /proc/cpuinfo; printf 'Revision\t: c03114\n'; } >/run/cpuinfo
mount --bind /run/cpuinfo /proc/cpuinfo
