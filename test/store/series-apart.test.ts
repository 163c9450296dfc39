import { seriesApartContract } from '../contract/series-apart.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(seriesApartContract);
