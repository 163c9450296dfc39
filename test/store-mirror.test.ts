import { mirrorStoreContract } from './contract/mirror-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(mirrorStoreContract);
