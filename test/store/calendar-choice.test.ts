import { calendarChoiceStoreContract } from '../contract/calendar-choice-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(calendarChoiceStoreContract);
