import { calendarListContract } from '../contract/calendar-list.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(calendarListContract);
