import { authorizationRequestStoreContract } from '../contract/authorization-request-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(authorizationRequestStoreContract);
