import { adminRequestStoreContract } from '../contract/admin-request-store.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(adminRequestStoreContract);
