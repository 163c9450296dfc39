import { eventReaderContract } from '../contract/event-reader.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(eventReaderContract);
