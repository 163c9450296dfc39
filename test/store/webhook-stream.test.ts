import { streamPositionsContract } from '../contract/webhook-stream-positions.contract.ts';
import { streamStoreContract } from '../contract/webhook-stream-store.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(streamStoreContract);
onEachIsolation(streamPositionsContract);
