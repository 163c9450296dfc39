import { authorizationCodeStoreContract } from '../contract/authorization-code-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(authorizationCodeStoreContract);
