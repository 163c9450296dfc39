import { calendarVersionsContract } from '../contract/calendar-versions.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(calendarVersionsContract);
