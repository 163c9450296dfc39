import { alertStoreContract } from '../contract/alert-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(alertStoreContract);
