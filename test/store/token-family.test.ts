import { refreshTokenUseContract } from '../contract/refresh-token-use.contract.ts';
import { tokenFamilyStoreContract } from '../contract/token-family-store.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(tokenFamilyStoreContract);
onEachIsolation(refreshTokenUseContract);
