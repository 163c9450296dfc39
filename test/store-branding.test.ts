import { brandingStoreContract } from './contract/branding-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(brandingStoreContract);
