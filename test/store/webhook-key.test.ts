import { webhookKeyStoreContract } from '../contract/webhook-key-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(webhookKeyStoreContract);
