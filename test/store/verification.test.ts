import { verificationStoreContract } from '../contract/verification-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(verificationStoreContract);
