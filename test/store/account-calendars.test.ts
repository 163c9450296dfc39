import { accountCalendarsContract } from '../contract/account-calendars.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(accountCalendarsContract);
