# The firmware and the scenarios as they are in the checkout now, from memory: the share is slow.
set -eu
touch /share/begun
mkdir -p /run/trial/python
cp -r /share/python/. /run/trial/python
export PYTHONPATH=/run/trial/python:/opt/site PYTHONFAULTHANDLER=1
cd /run/trial
exec python3 -u -m tests.vm.guest.service
