import { providerAppStoreContract } from '../contract/provider-app-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(providerAppStoreContract);
