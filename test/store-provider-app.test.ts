import { providerAppStoreContract } from './contract/provider-app-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(providerAppStoreContract);
