import { managedStoreContract } from '../contract/managed-store.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(managedStoreContract);
