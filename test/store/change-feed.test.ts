import { changeFeedContract } from '../contract/change-feed.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(changeFeedContract);
