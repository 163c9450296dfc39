import { messageLogContract } from '../contract/webhook-message-log.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(messageLogContract);
