import { changeFeedContract } from './contract/change-feed.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(changeFeedContract);
