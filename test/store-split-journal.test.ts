import { splitJournalContract } from './contract/split-journal.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(splitJournalContract);
