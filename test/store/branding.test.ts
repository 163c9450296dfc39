import { brandingStoreContract } from '../contract/branding-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(brandingStoreContract);
