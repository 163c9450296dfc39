import { authorizationCodeStoreContract } from '../contract/authorization-code-store.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(authorizationCodeStoreContract);
