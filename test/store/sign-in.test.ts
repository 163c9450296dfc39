import { signInStoreContract } from '../contract/sign-in-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(signInStoreContract);
