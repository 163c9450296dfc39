#!/bin/bash
# Installs the programs that tests run against and that npm does not bring: three CalDAV servers, the
# browser, python3-dateutil and two OAuth clients, all from Debian's own packages. For a clean Debian 12, as root; run
# again, it does nothing. Services are not started: every test starts its own, in a folder of its own.
set -euo pipefail

packages=(
  radicale        # CalDAV server
  xandikos        # CalDAV server
  cyrus-imapd     # CalDAV server
  cyrus-caldav
  sasl2-bin       # saslpasswd2: Cyrus's users
  libsasl2-modules
  python3-dateutil # expands recurrence rules independently of us
  python3-authlib  # OAuth clients written by others
  python3-requests-oauthlib
  chromium        # drives the pages
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
  echo "Counterparts: all installed."
  exit 0
fi

# A package's own service must not start, let alone outlive the tests. An existing policy stays.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi

export DEBIAN_FRONTEND=noninteractive
wait_for_lock=(-o DPkg::Lock::Timeout=300)
apt-get "${wait_for_lock[@]}" update
apt-get "${wait_for_lock[@]}" install --yes --no-install-recommends "${missing[@]}"
