import { streamStoreContract } from '../contract/webhook-stream-store.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(streamStoreContract);
