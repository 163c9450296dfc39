import { streamStoreContract } from '../contract/webhook-stream-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(streamStoreContract);
