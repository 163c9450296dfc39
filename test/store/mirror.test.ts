import { mirrorStoreContract } from '../contract/mirror-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(mirrorStoreContract);
