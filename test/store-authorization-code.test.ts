import { authorizationCodeStoreContract } from './contract/authorization-code-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(authorizationCodeStoreContract);
