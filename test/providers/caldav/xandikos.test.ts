import { calendarProviderContract } from '../../contract/calendar-provider.contract.ts';
import { startXandikos, XANDIKOS } from '../../servers/xandikos.ts';

calendarProviderContract({
  name: 'Xandikos',
  program: XANDIKOS,
  start: startXandikos,
  keepsProperties: false,
  unknownToken: 'compared instead',
});
