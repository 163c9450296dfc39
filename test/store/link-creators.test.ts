import { linkCreatorsContract } from '../contract/link-creators.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(linkCreatorsContract);
