import { authorizationRequestStoreContract } from './contract/authorization-request-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(authorizationRequestStoreContract);
