import { signingKeyStoreContract } from '../contract/signing-key-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(signingKeyStoreContract);
