import { idempotencyStoreContract } from '../contract/idempotency-store.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(idempotencyStoreContract);
