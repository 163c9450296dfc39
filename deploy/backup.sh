#!/bin/sh
# Dumps PostgreSQL once a day into /backups and keeps the newest BACKUP_KEEP dumps: the service `backup` of compose.yaml.
# "backup.sh once" makes one dump now. PostgreSQL's own variables, such as PGHOST, name the database.
set -eu
folder=${BACKUP_DIR:-/backups}
[ -z "${PGPASSWORD_FILE:-}" ] || export PGPASSWORD="$(cat "$PGPASSWORD_FILE")"

back_up() {
  file="$folder/kalends-$(date -u +%Y-%m-%d-%H%M%S).dump"
  pg_dump --format=custom --file="$file.partial" || return 1
  # Only a complete dump has its name, and only then are older ones deleted.
  mv "$file.partial" "$file"
  ls -1 "$folder"/kalends-*.dump | sort -r | tail -n "+$((${BACKUP_KEEP:-14} + 1))" | xargs -r rm --
  echo "Wrote $file."
}

if [ "${1:-}" = once ]; then
  back_up
  exit
fi
while :; do
  # After a restart the last dump counts, and after a failure this tries again.
  newest=$(find "$folder" -name 'kalends-*.dump' -mmin -1430 | head -n 1)
  [ -n "$newest" ] || back_up || echo 'The backup failed.' >&2
  sleep 600
done
