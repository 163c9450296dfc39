import { counterpart } from '../../harness/counterpart.ts';
import { CYRUS, startSchedulingCyrus } from '../../servers/cyrus.ts';
import { schedulingContract } from './scheduling-contract.ts';

schedulingContract({
  name: 'Cyrus',
  options: counterpart('Cyrus', CYRUS, { root: true }),
  start: startSchedulingCyrus,
  habits: { mails: true, updatesInbox: false, tellsRules: true, answersAlways: false },
});
