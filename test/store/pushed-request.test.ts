import { pushedRequestStoreContract } from '../contract/pushed-request-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(pushedRequestStoreContract);
