import { personStoreContract } from '../contract/person-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(personStoreContract);
