/**
 * Debian's Cyrus, with configuration, spool and passwords of its own. Its master has to be started as
 * root and drops to the user `cyrus`. Mailboxes, which calendars live in, come to be at the first IMAP
 * login.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';

import { freePort } from '../harness/loopback.ts';
import {
  answering,
  type ManagedCalDavServer,
  removeFolder,
  run,
  temporaryFolder,
  USERS,
  withCalendars,
} from './process.ts';
import { type SchedulingServer, takeInbox } from './scheduling.ts';
import { startMailSink } from './scheduling-mail.ts';

export const CYRUS = '/usr/lib/cyrus/bin/httpd';

/** Starts Cyrus without scheduling: attendees are lines of an event, and no one is notified. */
export const startCyrus = (calendars: readonly string[] = ['work']): Promise<ManagedCalDavServer> =>
  start(calendars, undefined);

/** The domain of its users' addresses. */
const DOMAIN = 'cyrus.example';

/** Starts Cyrus with scheduling: it notifies its users in their inboxes and others by email, which is kept. */
export async function startSchedulingCyrus(
  calendars: readonly string[] = ['work'],
): Promise<SchedulingServer> {
  const mails = await startMailSink();
  const cyrus = await start(calendars, mails.port).catch(async (failure: unknown) => {
    await mails.close();
    throw failure;
  });
  const addressOf = (user: string) => `${user}@${DOMAIN}`;
  return {
    ...cyrus,
    name: 'Cyrus with scheduling',
    addressOf,
    invitationsUrl: (user) => cyrus.calendarUrl(user, 'Default'),
    async takeSent() {
      const inboxes = Object.keys(USERS).map((user) =>
        takeInbox(user, cyrus.calendarUrl(user, 'Inbox'), addressOf(user)),
      );
      return [...(await Promise.all(inboxes)).flat(), ...mails.take()];
    },
    async stop() {
      await cyrus.stop();
      await mails.close();
    },
  };
}

async function start(
  calendars: readonly string[],
  mailPort: number | undefined,
): Promise<ManagedCalDavServer> {
  const folder = temporaryFolder('cyrus');
  const [imapPort, httpPort] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${httpPort}`;
  writeConfiguration({ folder, imapPort, httpPort, mailPort });
  const server = run('/usr/sbin/cyrmaster', [
    ...['-C', `${folder}/imapd.conf`, '-M', `${folder}/cyrus.conf`],
    ...['-p', `${folder}/run/master.pid`],
  ]);
  const calendarUrl = (user: string, calendar: string) => `${origin}/dav/calendars/user/${user}/${calendar}/`;
  const setPassword = async (user: string, password: string) => savePassword(folder, user, password);
  const stop = async () => {
    await server.stop();
    removeFolder(folder);
  };

  const logIn = async () => {
    await answering(origin, server);
    for (const [user, password] of Object.entries(USERS)) await imapLogin(imapPort, user, password);
  };
  const cyrus = { name: 'Cyrus', origin, typed: origin, calendarUrl, setPassword, stop };
  return withCalendars(cyrus, calendars, { ready: logIn(), output: server.output });
}

type Place = {
  readonly folder: string;
  readonly imapPort: number;
  readonly httpPort: number;
  /** The port that invitations are mailed to; undefined without scheduling. */
  readonly mailPort: number | undefined;
};

function writeConfiguration(place: Place): void {
  const { folder } = place;
  for (const name of ['config', 'spool', 'run', 'sieve', 'log']) mkdirSync(path.join(folder, name));
  writeFileSync(path.join(folder, 'imapd.conf'), imapdConf(place));
  writeFileSync(path.join(folder, 'cyrus.conf'), cyrusConf(place));
  for (const [user, password] of Object.entries(USERS)) savePassword(folder, user, password);
  chmodSync(folder, 0o755);
  execFileSync('chown', ['-R', 'cyrus:mail', folder]);
}

function savePassword(folder: string, user: string, password: string): void {
  const parameters = ['-c', '-p', '-f', `${folder}/sasldb2`, '-u', 'localhost', user];
  execFileSync('/usr/sbin/saslpasswd2', parameters, { input: password });
}

const imapdConf = ({ folder, mailPort }: Place): string => `
configdirectory: ${folder}/config
defaultpartition: default
partition-default: ${folder}/spool
sievedir: ${folder}/sieve
proc_path: ${folder}/run/proc
mboxname_lockpath: ${folder}/run/lock
idlesocket: ${folder}/run/idle
notifysocket: ${folder}/run/notify
lmtpsocket: ${folder}/run/lmtp
servername: localhost
defaultdomain: localhost
virtdomains: off
unixhierarchysep: yes
altnamespace: yes
admins: cyrus
allowplaintext: yes
sasl_mech_list: PLAIN
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: ${folder}/sasldb2
autocreate_quota: 0
autocreate_users: anyone
httpmodules: caldav
caldav_create_default: yes
caldav_create_sched: yes
calendar_component_set: VEVENT VTODO
${mailPort === undefined ? 'caldav_allowscheduling: off' : schedulingConf(mailPort)}
delete_mode: immediate
sync_log: no
`;

const schedulingConf = (mailPort: number): string => `caldav_allowscheduling: on
calendar_user_address_set: ${DOMAIN}
smtp_backend: host
smtp_host: 127.0.0.1:${mailPort}/noauth`;

const cyrusConf = ({ folder, imapPort, httpPort }: Place): string => `
START {
  recover cmd="/usr/lib/cyrus/bin/ctl_cyrusdb -C ${folder}/imapd.conf -r"
}
SERVICES {
  imap cmd="imapd -C ${folder}/imapd.conf -U 30" listen="127.0.0.1:${imapPort}" prefork=0 maxchild=5
  http cmd="httpd -C ${folder}/imapd.conf -U 30" listen="127.0.0.1:${httpPort}" prefork=0 maxchild=50
}
EVENTS {
}
`;

/** Logs in and out: that makes the user's inbox. */
function imapLogin(port: number, user: string, password: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let output = '';
    socket.setTimeout(60_000, () => socket.destroy(new Error('IMAP does not answer')));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      output += chunk;
      if (/^a OK/m.test(output)) socket.end();
      else if (/^a (NO|BAD)/m.test(output)) socket.destroy(new Error(`IMAP login failed: ${output}`));
    });
    socket.on('close', () =>
      /^a OK/m.test(output) ? resolve() : reject(new Error(`IMAP ended: ${output}`)),
    );
    socket.write(`a LOGIN ${user} "${password}"\r\n`);
  });
}
