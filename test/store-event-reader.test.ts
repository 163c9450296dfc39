import { eventReaderContract } from './contract/event-reader.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(eventReaderContract);
