import { idempotencyStoreContract } from '../contract/idempotency-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(idempotencyStoreContract);
