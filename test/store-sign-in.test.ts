import { signInStoreContract } from './contract/sign-in-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(signInStoreContract);
