import { eventPiecesContract } from '../contract/event-pieces.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(eventPiecesContract);
