import { signingKeyStoreContract } from './contract/signing-key-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(signingKeyStoreContract);
