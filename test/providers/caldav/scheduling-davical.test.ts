import { counterpart } from '../../harness/counterpart.ts';
import { DAVICAL, startDavical } from '../../servers/davical.ts';
import { schedulingContract } from './scheduling-contract.ts';

schedulingContract({
  name: 'DAViCal',
  options: counterpart('DAViCal', DAVICAL),
  start: startDavical,
  habits: { mails: false, updatesInbox: true, tellsRules: false, answersAlways: true },
});
