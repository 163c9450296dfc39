import { startSchedulingSandbox } from '../../servers/scheduling-sandbox.ts';
import { schedulingContract } from './scheduling-contract.ts';

schedulingContract({
  name: 'the sandbox’s CalDAV server',
  options: { skip: false },
  start: startSchedulingSandbox,
  habits: { mails: true, updatesInbox: true, tellsRules: true, answersAlways: false },
});
