# The firmware and the scenarios as they are in the checkout now, copied once: the share is slow.
set -eu
touch /share/begun
if ! [ -e /opt/trial/whole ]; then
    mkdir -p /opt/trial
    cp -r /share/python/. /opt/trial
    sync
    touch /opt/trial/whole
fi
export PYTHONPATH=/opt/trial:/opt/site PYTHONFAULTHANDLER=1
mkdir -p /run/trial
cd /run/trial
exec python3 -u -m tests.vm.guest.service
