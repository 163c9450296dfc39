import { idempotencyStoreContract } from './contract/idempotency-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(idempotencyStoreContract);
