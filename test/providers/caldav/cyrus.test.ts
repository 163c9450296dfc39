import { calendarProviderContract } from '../../contract/calendar-provider.contract.ts';
import { CYRUS, startCyrus } from '../../servers/cyrus.ts';

calendarProviderContract({
  name: 'Cyrus',
  program: CYRUS,
  root: true,
  start: startCyrus,
  keepsProperties: true,
  unknownToken: 'sync_token_expired',
});
