import { calendarProviderContract } from '../../contract/calendar-provider.contract.ts';
import { RADICALE, startRadicale } from '../../servers/radicale.ts';

calendarProviderContract({
  name: 'Radicale',
  program: RADICALE,
  start: startRadicale,
  keepsProperties: true,
  unknownToken: 'sync_token_expired',
});
