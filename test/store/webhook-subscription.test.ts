import { subscriptionStoreContract } from '../contract/webhook-subscription-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(subscriptionStoreContract);
